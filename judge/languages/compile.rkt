#lang racket/base
; Compiles the module that the argument names to solution.zo.
(define source (vector-ref (current-command-line-arguments) 0))
(define compiled
  (parameterize ([current-namespace (make-base-namespace)]
                 [read-accept-reader #t]
                 [read-accept-lang #t]
                 [current-module-declare-name (make-resolved-module-path 'solution)])
    (call-with-input-file source
      (lambda (in)
        (port-count-lines! in)
        (compile (parameterize ([current-load-relative-directory (current-directory)])
                   (let ([form (read-syntax source in)])
                     (if (eof-object? form) (raise-user-error "no program") (namespace-syntax-introduce form)))))))))
(call-with-output-file "solution.zo" (lambda (out) (write compiled out)))
