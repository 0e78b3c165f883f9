-- Ends a transaction whose rows are not as it has seen them: it is tried again, from its beginning. By this a statement
-- checks itself, and can be sent together with the commit.
CREATE FUNCTION semel.must(ok boolean) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF ok THEN RETURN true; END IF;
  RAISE EXCEPTION 'what was read has changed meanwhile' USING ERRCODE = 'serialization_failure';
END $$;
