let c = Hashtbl.create 32

let () =
  try
    while true do
      let line = input_line stdin in
      let at = String.index line ' ' in
      Hashtbl.replace c (String.sub line 0 at) (String.sub line (at + 1) (String.length line - at - 1))
    done
  with End_of_file -> ()

let given key = Hashtbl.find c key
let pid () = int_of_string (given "pid")

let attempt what call =
  (match call () with
  | Some got -> Printf.printf "ESCAPED %s %s\n" what got
  | None | (exception _) -> Printf.printf "HELD %s\n" what);
  flush stdout

let slurp path = let file = open_in path in Some (input_line file)

let start () =
  let said = Unix.open_process_in "echo x" in
  let line = input_line said in
  ignore (Unix.close_process_in said);
  Some line

let () =
  attempt "file" (fun () -> slurp (given "file"));
  attempt "answer" (fun () -> slurp (given "answer"));
  attempt "environment" (fun () -> Sys.getenv_opt (given "env"));
  attempt "write" (fun () -> output_string (open_out (given "world" ^ "/" ^ given "mark")) "x"; Some "written");
  attempt "process" start;
  attempt "shell" (fun () -> if Sys.command "true" = 0 then Some "started" else None);
  attempt "fork" (fun () -> match Unix.fork () with 0 -> Unix._exit 0 | made -> Some (string_of_int made));
  attempt "connect" (fun () ->
      let port = int_of_string (given "tcp") in
      Unix.connect (Unix.socket Unix.PF_INET Unix.SOCK_STREAM 0) (Unix.ADDR_INET (Unix.inet_addr_loopback, port));
      Some "connected");
  attempt "signal" (fun () -> Unix.kill (pid ()) 0; Some "reached");
  attempt "others" (fun () -> slurp (Printf.sprintf "/proc/%d/status" (pid ())))
