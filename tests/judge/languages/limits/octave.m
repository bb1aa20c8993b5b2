line = strsplit(fgetl(stdin), " ");
n = str2double(line{2});
if strcmp(line{1}, "memory")
  part = ones(131072, n);
  n = columns(part);
else
  error("fail");
end
printf("done %d\n", n);
