// What whoever reads a refusal can do about it. docs/errors says the same at length.

const byCode: Record<string, string> = {
  OUTCOME_UNKNOWN: 'It may have happened: load again and look before you repeat it.',
  NOT_CANCELLABLE: 'It has ended already: there is nothing left to stop.',
  NOT_RETRYABLE: 'Only what has failed, timed out or was cancelled is tried again; what runs is waited for. A promise or a workflow of code is made anew.',
  NOT_RESOLVABLE: 'Only a blocked step takes a result by hand. Look at its state, and try again what failed.',
  FAILED_PRECONDITION: 'Look at its state: a workflow that has closed hears no signal.',
  IDENTITY_HELD: 'A task that is still open, or another one, holds the identity. Wait until it closes, or cancel it; on its own page an open one can be released all the same.',
  INVALID_TEMPLATE: 'Mend the place that the message names, and send the template again; semel template validate checks it beforehand.',
  INVALID_CONTEXT: 'The context does not fit the schema of the template. Mend the places that are named.',
  IDEMPOTENCY_KEY_MISMATCH: 'The key belongs to other content. Take another key for this, or send what was sent first.',
  TENANT_LIMIT: 'As much is open as this tenant may have. Let workers finish some, cancel what is not needed, or let an administrator raise the limit.',
};

const byStatus: Record<number, string> = {
  0: 'Is the server running, and can this machine reach it? The page tries again by itself.',
  400: 'Mend what the message names, and try again. Nothing was changed.',
  401: 'Log in again with a key that is neither revoked nor expired.',
  403: 'Your key lacks a permission. Ask whoever manages keys: semel key create --permissions …',
  404: 'It may have been removed by retention, or belong to another tenant.',
  409: 'Somebody or something changed it in the meantime. Load it again and look.',
  413: 'It is too large. Send less: keep what is large elsewhere, and send where it is.',
  422: 'It was understood, but does not fit. Mend what the message names. Nothing was changed.',
  429: 'Too much at once. Wait a moment, and try again.',
  503: 'The server is busy or its store does not answer. Nothing was changed; try again in a moment.',
};

export function adviceOn(status: number, code: string): string {
  return byCode[code] ?? byStatus[status] ?? (status >= 500 ? 'Look for the request id in the log of the server.' : '');
}
