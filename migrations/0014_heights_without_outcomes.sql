-- Where heights of one source meet heights of the other, trees cross from blocks that tell outcomes into blocks that tell
-- none. Nobody knows it of heights that are stored already: they count as if they told them, and a tree that is whole
-- is taken over by nobody.
ALTER TABLE coverage ADD COLUMN without_outcomes int8multirange NOT NULL DEFAULT '{}';
