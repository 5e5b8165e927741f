-- A text with the escape of NUL, or of half a surrogate pair, is json, and `->` fails on it, and with it the whole
-- statement. Programs write such escapes as others (daemon/chain/json/json_check.hpp); rows of older programs have them.

-- NULL where PostgreSQL cannot take the text apart.
CREATE OR REPLACE FUNCTION queryable_json(value json) RETURNS json LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    PERFORM value::jsonb;
    RETURN value;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION actions_to_search(actions json) RETURNS json LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN actions::text ~ '\\u(0000|[dD][89a-fA-F])' THEN queryable_json(actions) ELSE actions END
$$;
