-- Promises, for the dedup cache (docs/adr/0014): until `promised_until` nobody changes who holds the identity, nor what is
-- said of that holder. Until `unpromised_until` no promise is made, because one was in somebody's way. Both are nothing
-- to almost all identities, stand in no index, and are a matter of seconds: they are not copied with a store.
ALTER TABLE semel.identities ADD COLUMN promised_until bigint, ADD COLUMN unpromised_until bigint;

-- What the servers of this store sign with: an entry of the cache that another has written, or another store's, is none. Made by
-- the first server that has a cache.
CREATE TABLE semel.cache_secret (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  secret  bytea NOT NULL CHECK (octet_length(secret) = 32)
);
