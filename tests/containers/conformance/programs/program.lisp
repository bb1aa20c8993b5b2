; What the tests ask of most languages: MODE N, and for `sort` N numbers.
(defun deep (n)
  (declare (notinline deep))
  (if (= n 0) 0 (+ 1 (deep (- n 1)))))

(let ((mode (symbol-name (read))) (n (read)))
  (cond
    ((string= mode "SORT")
     (format t "~{~d~%~}" (sort (loop repeat n collect (read)) #'<)))
    ((string= mode "DEEP") (format t "~d~%" (deep n)))
    ((string= mode "HOARD")
     (let ((all nil))
       (loop (push (make-array 100000 :initial-element 1) all))))
    ((string= mode "SPIN") (loop))
    ((string= mode "THROW") (error "thrown"))
    ((string= mode "EXIT") (sb-ext:exit :code n))))
