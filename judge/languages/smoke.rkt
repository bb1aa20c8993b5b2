#lang racket
(define (add a b) (apply + (list a b)))
(displayln (add (read) (read)))
