# Ruby starts without RubyGems, which takes five times as long as all else. It is loaded when a program first needs it:
# to require a library that is a gem (prime, matrix), or by name.
module Kernel
  without_gems = instance_method(:require)

  define_method(:require) do |path|
    begin
      return without_gems.bind_call(self, path)
    rescue LoadError
      raise if Kernel.private_method_defined?(:gem_original_require) # RubyGems is there: it calls this
    end
    Kernel.define_method(:require, without_gems)
    Kernel.send(:private, :require)
    Kernel.require("rubygems")
    require(path)
  end
  private :require

  def gem(...)
    Kernel.remove_method(:gem)
    Kernel.require("rubygems")
    gem(...)
  end
  private :gem
end
Object.autoload(:Gem, "rubygems")
