import com.sun.source.util.JavacTask;
import com.sun.source.util.TaskEvent;
import com.sun.source.util.TaskListener;
import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.TypeKind;
import javax.lang.model.util.ElementFilter;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.ForwardingJavaFileObject;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compile OUT.jar SOURCE...: javac, with two freedoms that a judge owes its submissions. A public class need not be called
 * like the file that it stands in, and what is run is the class that has a main method, in whatever package: the
 * compiler itself says which that is.
 */
final class Compile implements TaskListener {
    /** A class that is run in place of the program's; and jars that its classes are looked for in, too. */
    private static final String MAIN = System.getProperty("main"), LIBRARIES = System.getProperty("libraries");
    private final Map<String, ByteArrayOutputStream> classes = new TreeMap<>();
    private final List<String> mains = new ArrayList<>();
    private JavacTask task;

    public static void main(String[] arguments) throws IOException {
        System.exit(new Compile().run(arguments[0], Arrays.asList(arguments).subList(1, arguments.length)) ? 0 : 1);
    }

    private boolean run(String output, List<String> names) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
        List<JavaFileObject> sources = new ArrayList<>();
        for (JavaFileObject file : files.getJavaFileObjectsFromStrings(names))
            sources.add(new Source(file));
        List<String> options = List.of("-encoding", "UTF-8", "-proc:none");
        task = (JavacTask) compiler.getTask(new PrintWriter(System.err), new Memory(files), null, options, null, sources);
        task.addTaskListener(this);
        if (!task.call())
            return false;
        if (MAIN != null)
            mains.add(0, MAIN);
        if (mains.isEmpty()) {
            System.err.println("error: no class has a method public static void main(String[] args)");
            return false;
        }
        write(output);
        return true;
    }

    @Override
    public void finished(TaskEvent event) {
        TypeElement type = event.getTypeElement();
        if (event.getKind() != TaskEvent.Kind.ANALYZE || type == null || !hasMain(type))
            return;
        String name = task.getElements().getBinaryName(type).toString();
        if (type.getModifiers().contains(Modifier.PUBLIC)) /* before the others, which are in the order of the source */
            mains.add(0, name);
        else
            mains.add(name);
    }

    private boolean hasMain(TypeElement type) {
        for (ExecutableElement method : ElementFilter.methodsIn(task.getElements().getAllMembers(type)))
            if (method.getSimpleName().contentEquals("main")
                    && method.getModifiers().containsAll(List.of(Modifier.PUBLIC, Modifier.STATIC))
                    && method.getReturnType().getKind() == TypeKind.VOID
                    && method.getParameters().size() == 1
                    && method.getParameters().get(0).asType().toString().equals("java.lang.String[]"))
                return true;
        return false;
    }

    private void write(String output) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, mains.get(0));
        if (LIBRARIES != null)
            manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, LIBRARIES);
        try (JarOutputStream jar = new JarOutputStream(new FileOutputStream(output), manifest)) {
            for (Map.Entry<String, ByteArrayOutputStream> entry : classes.entrySet()) {
                jar.putNextEntry(new JarEntry(entry.getKey()));
                entry.getValue().writeTo(jar);
            }
        }
    }

    private static final class Source extends ForwardingJavaFileObject<JavaFileObject> {
        Source(JavaFileObject file) {
            super(file);
        }

        @Override
        public boolean isNameCompatible(String name, Kind kind) {
            return kind == Kind.SOURCE;
        }
    }

    /** Keeps the classes instead of writing them. */
    private final class Memory extends ForwardingJavaFileManager<JavaFileManager> {
        Memory(JavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            String path = name.replace('.', '/') + kind.extension;
            return new SimpleJavaFileObject(URI.create("memory:///" + classes.size()), kind) {
                @Override
                public OutputStream openOutputStream() {
                    ByteArrayOutputStream content = new ByteArrayOutputStream();
                    classes.put(path, content);
                    return content;
                }
            };
        }
    }
}
