(define (depth n) (if (zero? n) 0 (+ 1 (depth (- n 1)))))
(let* ((what (read)) (n (read)))
  (format #t "done ~a~%"
    (case what
      ((memory) (length (map (lambda (i) (make-string 262144 #\λ)) (iota n))))
      ((depth) (depth n))
      (else (error "fail")))))
