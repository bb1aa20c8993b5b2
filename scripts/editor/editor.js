// The field for the source, as an editor: CodeMirror in the place of a textarea, which stays the field that is sent.
//
// It stands in a shadow root: there CodeMirror adds its styles as objects, which a strict Content-Security-Policy allows;
// in a document it would add <style>, which the policy refuses.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { cppLanguage } from "@codemirror/lang-cpp";
import { goLanguage } from "@codemirror/lang-go";
import { javaLanguage } from "@codemirror/lang-java";
import { javascriptLanguage, typescriptLanguage } from "@codemirror/lang-javascript";
import { pythonLanguage } from "@codemirror/lang-python";
import { rustLanguage } from "@codemirror/lang-rust";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// By the names that Pygments has for them, which the options of the languages carry.
const LANGUAGES = {
  c: cppLanguage,
  cpp: cppLanguage,
  go: goLanguage,
  java: javaLanguage,
  javascript: javascriptLanguage,
  python: pythonLanguage,
  rust: rustLanguage,
  typescript: typescriptLanguage,
};

// The colours are those of page.css, so that they follow light and dark.
const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.typeName, tags.self], color: "var(--keyword)" },
  { tag: [tags.string, tags.character, tags.regexp, tags.escape], color: "var(--string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--number)" },
  { tag: tags.comment, color: "var(--comment)", fontStyle: "italic" },
  { tag: [tags.function(tags.variableName), tags.className, tags.processingInstruction, tags.meta], color: "var(--name)" },
]);
const THEME = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--ground)", fontSize: ".92rem", maxHeight: "75vh" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.45", overflow: "auto" },
  ".cm-content, .cm-gutter": { minHeight: "26em" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-gutters": { color: "var(--muted)", backgroundColor: "var(--raised)", borderRight: "1px solid var(--line)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--good-ground)" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "var(--bad-ground)" },
});

function edit(field) {
  const form = field.form;
  const label = field.labels[0];
  const choice = form.elements.language;
  const language = new Compartment();
  const chosen = () => LANGUAGES[choice.selectedOptions[0]?.dataset.mode] ?? [];
  const said = { "aria-label": `${label.textContent}. ${field.dataset.editor}`, spellcheck: "false" };
  if (field.getAttribute("aria-invalid")) said["aria-invalid"] = "true";
  const extensions = [
    lineNumbers(),
    history(),
    indentUnit.of("    "),
    EditorState.tabSize.of(4),
    indentOnInput(),
    bracketMatching(),
    syntaxHighlighting(COLOURS),
    keymap.of([...defaultKeymap.filter((one) => one.key !== "Mod-Enter"), ...historyKeymap, indentWithTab]),
    language.of(chosen()),
    EditorView.contentAttributes.of(said),
    THEME,
  ];
  const place = Object.assign(document.createElement("div"), { className: "editor" });
  const hint = Object.assign(document.createElement("p"), { className: "hint", textContent: field.dataset.editor });
  field.after(place, hint);
  const root = place.attachShadow({ mode: "open" });
  const view = new EditorView({ doc: field.value, extensions, parent: root, root });
  field.hidden = true;
  label.addEventListener("click", () => view.focus());
  choice.addEventListener("change", () => view.dispatch({ effects: language.reconfigure(chosen()) }));
  form.addEventListener("submit", () => {
    field.value = view.state.doc.toString();
  });
}

for (const field of document.querySelectorAll("textarea[data-editor]")) edit(field);
