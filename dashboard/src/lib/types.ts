// What the API answers, as far as the dashboard looks at it. The contract is /openapi.json.
import type { Json } from './json';

export type Status = 'pending' | 'running' | 'suspended' | 'completed' | 'failed' | 'cancelled' | 'timed_out';
export type StepStatus = Status | 'waiting' | 'blocked' | 'skipped' | 'scheduled';
export type Kind = 'task' | 'workflow' | 'promise';
export type Permission = 'tasks:create' | 'tasks:read' | 'tasks:cancel' | 'workers' | 'admin';

export interface TaskError {
  type: string;
  message: string;
  details?: Json;
}

export interface WhoAmI {
  tenant: string;
  key_id: string;
  name?: string;
  permissions: Permission[];
  expires_at?: string;
  requires_keys: boolean;
}

export interface Execution {
  task_uuid: string;
  task_id: string;
  kind: Kind;
  status: Status;
  namespace?: string;
  name?: string;
  version?: string;
  revision?: number;
  named_task_uuid?: string;
  handler?: string; // a promise has none
  queue: string;
  priority: number;
  idempotency_key?: string;
  run_id?: string;
  task_key?: string;
  item?: Json;
  created_at: string;
  run_at: string;
  started_at?: string;
  closed_at?: string;
  deadline?: string;
  cancel_requested?: true;
  progress?: { done: number; message?: string };
  previous_execution_id?: string;
  result?: Json;
  error?: TaskError;
  labels?: Record<string, string>;
}

export interface Lease {
  attempt_id: string;
  worker_id: string;
  started_at: string;
  expires_at: string;
  last_heartbeat_at?: string; // or when a target took it
}

export interface TaskListItem extends Execution {
  attempt: number;
  lease?: Lease; // of one that runs, where leases are asked for
}

export interface TaskList {
  tasks: TaskListItem[];
  next_cursor?: string;
}

export interface Attempt {
  attempt_id: string;
  attempt: number;
  worker_id: string;
  outcome: 'running' | 'completed' | 'failed' | 'lease_ended' | 'timed_out' | 'cancelled' | 'undelivered';
  started_at: string;
  lease_expires_at: string;
  last_heartbeat_at?: string; // or when a target took it
  ended_at?: string;
  error?: TaskError;
  stale_results?: number;
  dispatch_id: string;
  external_id: string;
}

export interface TaskIdentity {
  mode: 'key' | 'context' | 'none';
  strategy: 'strict' | 'caller_provided' | 'always_unique';
  scope?: 'template' | 'template_version' | 'queue' | 'tenant' | 'schedule';
  hash?: string;
  bucket?: number;
  window?: string;
  held?: boolean;
  window_end?: string;
  released_at?: string;
}

export interface StepItems {
  total: number;
  waiting?: number;
  scheduled?: number;
  completed?: number;
  failed?: number;
  timed_out?: number;
  cancelled?: number;
}

export interface Step {
  name: string;
  handler: string;
  queue?: string;
  depends_on: string[];
  status: StepStatus;
  reason?: string;
  items?: StepItems;
  task_uuid?: string;
  result?: Json;
  error?: TaskError;
}

export interface Task extends Execution {
  created_by: string;
  context: Json;
  step_count?: number;
  steps?: Step[];
  max_attempts?: number;
  retry?: Json;
  timeout_ms?: number;
  concurrency_key?: string;
  traceparent?: string;
  identity: TaskIdentity;
  attempts: Attempt[];
  duplicates: { at_least: number; last: { at: string; key_id: string; answer: string }[] };
}

export interface HistoryEvent {
  sequence: number;
  at: string;
  kind: string;
  task_key?: string;
  detail?: Json;
}

/** A workflow that is written as code, as far as it has more than its task. */
export interface Workflow {
  kind: string;
  custom_status?: Json;
  timers: { command: number; fire_at: string }[];
  history_length: number;
  open_children: number;
}

export interface Worker {
  worker_id: string;
  queues: string[];
  handlers?: string[];
  asked_at: string;
  waiting: boolean;
}

export interface Holder {
  execution_id: string;
  status: Status;
  created_at: string;
  closed_at?: string;
  released_at?: string;
  window: string;
  window_end?: string;
  result_expired?: true;
}

export interface Explanation {
  would: 'create' | 'take_over' | 'duplicate' | 'same_id';
  why: string;
  kind: Kind;
  step_count?: number;
  status: number;
  answer?: string;
  identity: TaskIdentity & {
    material?: string;
    scope_value?: string;
    named_task_uuid?: string;
    fingerprint?: string;
  };
  reuse: string;
  on_duplicate: string;
  on_payload_mismatch: string;
  holder?: Holder;
  pointers?: string[];
}

export interface KeyHolder extends Execution {
  held: boolean;
  holder: Holder;
}

export interface QueueSettings {
  retention?: string;
  rate_limit?: string;
  rate_burst?: number;
  max_running?: number;
  max_running_per_key?: number;
  paused?: boolean;
  reuse?: string;
  dedup_window?: string;
  target?: string;
  target_timeout?: string;
  target_dedup_window?: string;
  heartbeat_timeout?: string;
  max_in_flight?: number;
}

export interface QueueCounts {
  created: number;
  started: number;
  completed: number;
  failed: number;
  retried: number;
}

export interface QueueRates {
  since: string;
  minute: QueueCounts;
  hour: QueueCounts;
  history?: { interval: string } & Record<keyof QueueCounts, number[]>; // oldest first
}

export interface Queue extends QueueSettings {
  name: string;
  paused: boolean;
  depth: { ready: number; waiting: number; blocked: number; running: number };
  waits_since?: string; // the ready one that is due the longest
  rates?: QueueRates; // not of a queue too many
  set: QueueSettings;
}

export interface Firing {
  nominal_time: string;
  fired_at: string;
  outcome: 'submitted' | 'skipped' | 'cancelled_previous' | 'refused';
  task_uuid?: string;
  error?: string;
}

export interface Schedule {
  name: string;
  schedule_id: string;
  paused: boolean;
  cron?: string;
  time_zone?: string;
  at?: string;
  missed?: string;
  catch_up_max?: number;
  overlap?: string;
  start?: string;
  end?: string;
  unreadable?: string;
  created_at: string;
  changed_at: string;
  next_firing?: string;
  last_firing?: Firing;
  last_task?: { task_uuid: string; status?: Status }; // a list has no states
  counts: { submitted: number; skipped: number; refused: number };
  task?: Json;
  upcoming?: string[];
}

export interface TemplateRevision {
  namespace: string;
  name: string;
  version: string;
  revision: number;
  named_task_uuid: string;
  handler: string;
  queue: string;
  identity_strategy: string;
  scope: string;
  document: { [key: string]: Json };
}

export interface ApiKey {
  id: string;
  tenant: string;
  name?: string;
  permissions: Permission[];
  created_at: string;
  created_by: string;
  expires_at?: string;
  revoked_at?: string;
}

export interface AuditEntry {
  seq: number;
  at: string;
  actor: string;
  action: string;
  subject: string;
}

export interface Counts {
  created: number;
  completed: number;
  failed: number;
  timed_out: number;
  cancelled: number;
  retried: number;
  leased: number;
  duplicates: number;
}

export interface Overview {
  now: string;
  since: string;
  span: 'hour' | 'day';
  interval: string;
  totals: Counts;
  points: (Counts & { at: string })[];
  commit_ms?: { p50: number; p99: number };
}

export interface TaskEvent {
  task_uuid: string;
  status: Status;
  handler?: string;
  queue: string;
  namespace?: string;
  name?: string;
  attempt?: number;
  at: string;
}

/** Who has what a queue pushes to its target. */
export const pushWorker = 'semel:push';
export const openStates: Status[] = ['pending', 'running', 'suspended'];
export const closedStates: Status[] = ['completed', 'failed', 'cancelled', 'timed_out'];
export const isOpen = (status: Status): boolean => openStates.includes(status);
