(defun depth (n) (if (zerop n) 0 (+ 1 (depth (- n 1)))))
(let* ((what (read)) (n (read)))
  (format t "done ~d~%"
    (case what
      (memory (length (loop repeat n collect (make-array 1048000 :element-type '(unsigned-byte 8) :initial-element 1))))
      (depth (depth n))
      (t (error "fail")))))
