% What the tests ask of most languages: MODE N, and for `sort` N numbers.
words = strsplit(strtrim(fgetl(stdin)), " ");
n = str2double(words{2});
switch (words{1})
  case "sort"
    printf("%d\n", sort(sscanf(fgetl(stdin), "%f")));
  case "hoard"
    all = {};
    while (true)
      all{end + 1} = ones(1, 1e6) * numel(all);
    end
  case "spin"
    while (true)
    end
  case "throw"
    error("thrown");
  case "exit"
    exit(n);
end
