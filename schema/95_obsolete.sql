-- Functions that no program calls any more. One that somebody has built on stays.
DO $$
DECLARE
    obsolete text;
BEGIN
    FOREACH obsolete IN ARRAY ARRAY[
        'delegate_nonce_used_by(text, text, timestamptz)', 'settled_alert_place()', 'next_alert_place()',
        'alert_place_to_come()'] LOOP
        BEGIN
            EXECUTE 'DROP FUNCTION IF EXISTS ' || obsolete;
        EXCEPTION WHEN dependent_objects_still_exist THEN
            NULL;
        END;
    END LOOP;
END
$$;
