let () =
  Scanf.scanf " %d %d" (fun a b ->
      let words = Str.split (Str.regexp " ") (Printf.sprintf "%d %d" a b) in
      Printf.printf "%d\n" (List.fold_left (fun sum word -> sum + int_of_string word) 0 words))
