(use-modules (srfi srfi-1))
(let* ((a (read)) (b (read)))
  (display (fold + 0 (list a b)))
  (newline))
