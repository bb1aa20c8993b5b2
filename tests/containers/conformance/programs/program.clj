; What the tests ask of most languages: MODE N, and for `sort` N numbers.
(require '[clojure.string :as string])

(let [[mode word] (string/split (read-line) #" ")
      n (Long/parseLong word)]
  (case mode
    "sort" (println (string/join "\n" (sort (map #(Long/parseLong %) (string/split (read-line) #" ")))))
    "hoard" (loop [all []] (recur (conj all (int-array 100000 1))))
    "spin" (loop [] (recur))
    "throw" (throw (Exception. "thrown"))
    "exit" (System/exit n)))
