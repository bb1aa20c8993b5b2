# coding: utf-8
print("你好", ascii("é"))
