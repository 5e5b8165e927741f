-- Sessions that wait for watches are told when some come in, by SQL too.

CREATE OR REPLACE FUNCTION notify_of_watches() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    NOTIFY receiptd_watches;
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER notify_of_watches AFTER INSERT ON watches
FOR EACH STATEMENT EXECUTE FUNCTION notify_of_watches();
