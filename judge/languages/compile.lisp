; Compiles the file that the last argument names; exit status 1 if it cannot be read or a form of it is not one.
(multiple-value-bind (made warnings failed)
    (let ((*error-output* *standard-output*)) (compile-file (car (last *posix-argv*)) :output-file (merge-pathnames "solution.fasl")))
  (declare (ignore warnings failed))
  (unless made (exit :code 1)))
