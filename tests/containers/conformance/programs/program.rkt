#lang racket
; What the tests ask of most languages: MODE N, and for `sort` N numbers.
(define (deep n) (if (zero? n) 0 (+ 1 (deep (- n 1)))))
(define (hoard all) (hoard (cons (make-vector 100000 (length all)) all)))
(define (spin) (spin))

(define mode (read))
(define n (read))
(case mode
  [(sort) (for-each displayln (sort (for/list ([_ n]) (read)) <))]
  [(deep) (displayln (deep n))]
  [(hoard) (hoard '())]
  [(spin) (spin)]
  [(throw) (error "thrown")]
  [(exit) (exit n)])
