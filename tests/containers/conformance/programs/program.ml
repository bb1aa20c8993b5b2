(* What the tests ask of most languages: MODE N, and for `sort` N numbers. *)
let rec deep n = if n = 0 then 0 else 1 + deep (n - 1)

let () =
  Scanf.scanf " %s %d" (fun mode n ->
      match mode with
      | "sort" ->
          let numbers = Array.init n (fun _ -> Scanf.scanf " %d" (fun number -> number)) in
          Array.sort compare numbers;
          Array.iter (fun number -> print_int number; print_char '\n') numbers
      | "deep" -> Printf.printf "%d\n" (deep n)
      | "hoard" ->
          let all = ref [] in
          while true do all := Array.make 100000 (List.length !all) :: !all done
      | "spin" -> while true do () done
      | "throw" -> failwith "thrown"
      | "exit" -> exit n
      | _ -> ())
