; What the tests ask of most languages: MODE N, and for `sort` N numbers.
(define (deep n) (if (zero? n) 0 (+ 1 (deep (- n 1)))))
(define (hoard all) (hoard (cons (make-vector 100000 1) all)))
(define (spin) (spin))
(define (numbers n) (let next ((left n) (all '())) (if (zero? left) all (next (- left 1) (cons (read) all)))))

(let* ((mode (read)) (n (read)))
  (case mode
    ((sort) (for-each (lambda (number) (display number) (newline)) (sort (numbers n) <)))
    ((deep) (display (deep n)) (newline))
    ((hoard) (hoard '()))
    ((spin) (spin))
    ((throw) (error "thrown"))
    ((exit) (exit n))))
