.separator "\t"
create table c(line);
.import /dev/stdin c
create view v as select substr(line, 1, instr(line, ' ') - 1) as key, substr(line, instr(line, ' ') + 1) as value from c;
select case when readfile(value) is null then 'HELD file' else 'ESCAPED file ' || cast(readfile(value) as text) end from v where key = 'file';
select case when readfile(value) is null then 'HELD answer' else 'ESCAPED answer ' || cast(readfile(value) as text) end from v where key = 'answer';
select case when readfile('/proc/' || value || '/status') is null then 'HELD others' else 'ESCAPED others' end from v where key = 'pid';
.bail off
.once |cat >started
select 'x';
select case when readfile('started') is null then 'HELD process' else 'ESCAPED process' end;
