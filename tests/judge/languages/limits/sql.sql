create table given(what, n integer);
.separator " "
.import /dev/stdin given
create table part(x);
insert into part with recursive i(k) as (select 1 from given where what = 'memory' union all select k + 1 from i, given where k < n)
  select randomblob(1048576) from i;
select 'done ' || count(*) from part having (select what from given) = 'memory';
with recursive i(k) as (select 0 from given where what = 'depth' union all select k + 1 from i, given where k < n)
  select 'done ' || max(k) from i having max(k) is not null;
select abs(-9223372036854775807 - 1) from given where what = 'fail';
