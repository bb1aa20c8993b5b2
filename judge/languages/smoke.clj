(require '[clojure.string :as string])
(println (reduce + (map #(Long/parseLong %) (string/split (string/trim (read-line)) #"\s+"))))
