-- API keys. Of the secret only the SHA-256 is kept. A revoked key stays, so that a server that once required keys
-- never opens again.
CREATE TABLE api_keys (
  id          TEXT    PRIMARY KEY,
  tenant_id   INTEGER NOT NULL,
  name        TEXT    NOT NULL,
  permissions INTEGER NOT NULL,
  secret_hash BLOB    NOT NULL UNIQUE,
  created_at  INTEGER NOT NULL,
  created_by  TEXT    NOT NULL,
  expires_at  INTEGER,
  revoked_at  INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_by_tenant ON audit (tenant_id, seq);
