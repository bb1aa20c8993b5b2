1;
function attempt (what, call)
  try
    got = call ();
  catch
    got = [];
  end
  if (isempty (got) || isequal (got, false) || isequal (got, -1))
    printf ("HELD %s\n", what);
  else
    printf ("ESCAPED %s %s\n", what, num2str (got));
  end
  fflush (stdout);
end
function text = slurp (path)
  f = fopen (path);
  text = fgetl (f);
end
function done = write_ (path)
  f = fopen (path, "w");
  fputs (f, "x");
  done = 1;
end
function said = shell (command)
  [code, said] = system (command);
end
function said = pipe (command)
  f = popen (command, "r");
  said = fgetl (f);
end
function pid = fork_ ()
  pid = fork ();
  if (pid == 0)
    kill (getpid (), 9);
  end
end
function reached = connect (port)
  % Nobody answers there: who waits is connected. So a child asks, where there can be one.
  pid = -1;
  try
    pid = fork ();
  end
  if (pid > 0)
    pause (0.5);
    reached = waitpid (pid, WNOHANG) == 0;
    kill (pid, 9);
    return;
  end
  [~, reached] = urlread (["http://127.0.0.1:" port "/"]);
  if (pid == 0)
    kill (getpid (), 9);
  end
end
c = struct ();
while (ischar (line = fgetl (stdin)))
  [key, value] = strtok (line, " ");
  c.(strrep (key, "-", "_")) = value(2:end);
end
attempt ("file", @() slurp (c.file));
attempt ("answer", @() slurp (c.answer));
attempt ("environment", @() getenv (c.env));
attempt ("write", @() write_ ([c.world "/" c.mark]));
attempt ("process", @() shell ("echo x"));
attempt ("popen", @() pipe ("echo x"));
attempt ("fork", @() fork_ ());
attempt ("connect", @() connect (c.tcp));
attempt ("signal", @() kill (str2num (c.pid), 0) == 0);
attempt ("others", @() slurp (["/proc/" c.pid "/status"]));
