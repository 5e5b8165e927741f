-- Sessions that wait for watches are told when some come in, by SQL too. Any role of the server can fill the queue of
-- notifications, and then none that notifies can commit: it is left free in time, and who waits looks every second.
-- Locks: wanted_watches SHARE ROW EXCLUSIVE, watches SHARE ROW EXCLUSIVE

CREATE OR REPLACE FUNCTION notify_of_watches() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF pg_notification_queue_usage() < 0.5 THEN
        NOTIFY receiptd_watches;
    END IF;
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER notify_of_watches AFTER INSERT ON watches
FOR EACH STATEMENT EXECUTE FUNCTION notify_of_watches();

CREATE OR REPLACE TRIGGER notify_of_watches AFTER INSERT ON wanted_watches
FOR EACH STATEMENT EXECUTE FUNCTION notify_of_watches();
