#lang racket/base
(define (depth n) (if (zero? n) 0 (+ 1 (depth (- n 1)))))
(define what (read))
(define n (read))
(define parts (if (eq? what 'memory) (for/list ([i n]) (make-bytes 1048576 1)) '()))
(displayln (format "done ~a" (case what [(memory) (length parts)] [(depth) (depth n)] [else (error "fail")])))
