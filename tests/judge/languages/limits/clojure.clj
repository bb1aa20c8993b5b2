(defn depth [n] (if (zero? n) 0 (inc (depth (dec n)))))
(let [[what text] (clojure.string/split (read-line) #" ") n (Long/parseLong text)]
  (println "done"
           (case what
             "memory" (count (mapv (fn [_] (byte-array (- 1048576 16))) (range n)))
             "depth" (depth n)
             (throw (IllegalStateException. "fail")))))
