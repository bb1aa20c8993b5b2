-- What the tests ask of most languages: MODE N, and for `sort` N numbers.
PRAGMA temp_store = MEMORY;
CREATE TABLE input AS SELECT CAST(readfile('/dev/stdin') AS TEXT) AS text;
CREATE TABLE asked AS SELECT substr(text, 1, instr(text, ' ') - 1) AS mode, substr(text, instr(text, char(10)) + 1) AS data FROM input;
SELECT value FROM asked, json_each('[' || replace(trim(data, char(10)), ' ', ',') || ']') WHERE mode = 'sort' ORDER BY value;
WITH RECURSIVE all_(text) AS (
    SELECT 'x' FROM asked WHERE mode = 'hoard' UNION SELECT substr(text || text, 1, 100000) || length(text) || random() FROM all_
) SELECT text FROM all_ WHERE text = '';
WITH RECURSIVE turns(n) AS (SELECT 1 FROM asked WHERE mode = 'spin' UNION ALL SELECT n + 1 FROM turns)
SELECT n FROM turns WHERE n = 0;
SELECT load_extension('thrown') FROM asked WHERE mode = 'throw';
