WITH text(line) AS (SELECT CAST(readfile('/dev/stdin') AS TEXT))
SELECT CAST(line AS INTEGER) + CAST(substr(line, instr(line, ' ')) AS INTEGER) FROM text;
