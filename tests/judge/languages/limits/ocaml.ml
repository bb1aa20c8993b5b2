let rec depth n = if n = 0 then 0 else 1 + depth (n - 1)
let () = Scanf.scanf " %s %d" (fun what n ->
  let n = match what with
    | "memory" ->
      let parts = List.init n (fun i -> Bytes.make (1 lsl 20) (Char.chr (i land 255))) in
      List.length (List.filter (fun part -> Bytes.length part > 0) parts) + (if Bytes.get (List.hd parts) 0 = 'z' then 1 else 0)
    | "depth" -> depth n
    | _ -> failwith "fail" in
  Printf.printf "done %d\n" n)
