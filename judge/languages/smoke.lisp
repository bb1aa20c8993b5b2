(defun add (a b) (the fixnum (+ a b)))
(format t "~d~%" (add (read) (read)))
