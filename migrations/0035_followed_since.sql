-- What happens while no daemon runs is a gap: everything is wanted from the height on which the head was followed first,
-- but for what an operator gives up. Databases of earlier versions learn that height at the next start, where their
-- stored chain ends; holes below it that are in no gap were left by a start at the head.
ALTER TABLE coverage ADD COLUMN followed_since bigint;

CREATE TABLE operator_skips (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    heights int8multirange NOT NULL,
    skipped_at timestamptz NOT NULL DEFAULT now(),
    skipped_by text NOT NULL DEFAULT session_user
);
