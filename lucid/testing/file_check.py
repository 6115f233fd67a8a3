"""torch.testing.FileCheck: does a text say certain things in a certain order?"""

import re


def _excerpt(text, start, end):
    """The lines of a place in the text and three around it, the place marked."""
    left = text.rfind("\n", 0, start) + 1
    right = text.find("\n", end)
    right = len(text) if right < 0 else right
    before = text[:left].splitlines(True)[-3:]
    after = text[right + 1 :].splitlines(True)[:3]
    marked = f"{text[left:right]}\n{' ' * (start - left)}{'~' * max(end - start, 1)} <--- HERE\n"
    return "".join([*before, marked, *after])


class FileCheck:
    """FileCheck().check("a").check_next("b").check_not("c").run(text): RuntimeError unless the text says so.

    What is checked is looked for in order, each from where the last was found.
    """

    def __init__(self):
        self._checks = []

    def _add(self, kind, text, count=1):
        self._checks.append((kind, str(text), count))
        return self

    def check(self, text):
        """check(text): it comes next, anywhere."""
        return self._add("CHECK", text)

    def check_same(self, text):
        """check_same(text): it comes next, on the same line."""
        return self._add("CHECK-SAME", text)

    def check_next(self, text):
        """check_next(text): it comes next, on the line below."""
        return self._add("CHECK-NEXT", text)

    def check_not(self, text):
        """check_not(text): it is not between what was found before and what is found after."""
        return self._add("CHECK-NOT", text)

    def check_dag(self, text):
        """check_dag(text): neighbours of this kind come in any order."""
        return self._add("CHECK-DAG", text)

    def check_regex(self, text):
        """check_regex(pattern): a match of it comes next."""
        return self._add("CHECK-REGEX", text)

    def check_count(self, text, count, exactly=False):
        """check_count(text, count, exactly=False): it comes so many times; exactly: and not once more."""
        self._add(f"CHECK-COUNT-{count}", text, count)
        return self.check_not(text) if exactly else self

    def check_source_highlighted(self, text):
        """check_source_highlighted(text): the line below it marks it with ~, as TorchScript's errors do."""
        return self._add("CHECK-SOURCE-HIGHLIGHTED", text)

    def run(self, test_file, other=None):
        """run(text): RuntimeError for the first check that fails. run(checks, text): `# CHECK: ...` lines are added."""
        if other is not None:
            self._read(str(test_file))
            test_file = other
        if not self._checks:
            raise RuntimeError("No checks have been added to this instance ofFilecheck! Check for bad input.")
        text, at, i = str(test_file), 0, 0
        waiting = []
        while i < len(self._checks):
            kind = self._checks[i][0]
            if kind == "CHECK-NOT":
                waiting.append(self._checks[i])
                i += 1
                continue
            group = [self._checks[i]]
            while kind == "CHECK-DAG" and i + len(group) < len(self._checks):
                if self._checks[i + len(group)][0] != kind:
                    break
                group.append(self._checks[i + len(group)])
            found = [self._found(check, text, at) for check in group]
            self._absent(waiting, text, at, min(start for start, _ in found))
            at, i, waiting = max(end for _, end in found), i + len(group), []
        self._absent(waiting, text, at, len(text))

    def _read(self, checks):
        """The checks in a text's comments: `# CHECK-NEXT: what`."""
        for kind, text in re.findall(r"#\s*(CHECK[\w-]*):\s*(.*)", checks):
            if counted := re.fullmatch(r"CHECK-COUNT-(EXACTLY-)?(\d+)", kind):
                self.check_count(text.strip(), int(counted[2]), bool(counted[1]))
            else:
                self._add(kind, text.strip())

    def _found(self, check, text, at):
        """Where the text has what a check wants, as (start of the first, end of the last)."""
        kind, wanted, count = check
        first = None
        for _ in range(count):
            if kind == "CHECK-NEXT":
                at = self._find("\n", text, at, kind, wanted) + 1
            if kind == "CHECK-REGEX":
                match = re.compile(wanted).search(text, at)
                if match is None:
                    raise RuntimeError(self._not_found(f'regex "{wanted}"', text, at, kind, wanted))
                start, end = match.span()
            else:
                start = self._find(wanted, text, at, kind, wanted)
                end = start + len(wanted)
            if kind in ("CHECK-NEXT", "CHECK-SAME"):
                self._absent([(kind, "\n", 1)], text, at, start)
            if kind == "CHECK-SOURCE-HIGHLIGHTED":
                self._need_marks(text, start, end, wanted)
            first, at = start if first is None else first, end
        return first, at

    def _find(self, what, text, at, kind, wanted):
        start = text.find(what, at)
        if start < 0:
            shown = what.replace("\n", "\\n")
            raise RuntimeError(self._not_found(f'"{shown}"', text, at, kind, wanted))
        return start

    def _not_found(self, what, text, at, kind, wanted):
        place = _excerpt(text, at, at)
        return f"Expected to find {what} but did not find it\nSearched string:\n{place}\nFrom {kind}: {wanted}\n"

    def _need_marks(self, text, start, end, wanted):
        line = text.rfind("\n", 0, start) + 1
        below = text[text.find("\n", end) + 1 :].split("\n")[0]
        if set(below[start - line : end - line]) != {"~"}:
            raise RuntimeError(f"Expected to find {wanted} highlighted\n{_excerpt(text, start, end)}")

    def _absent(self, checks, text, start, end):
        for kind, unwanted, _ in checks:
            at = text.find(unwanted, start, end)
            if at >= 0:
                shown, place = unwanted.replace("\n", "\\n"), _excerpt(text, at, at + len(unwanted))
                raise RuntimeError(f'Expected to not find "{shown}" but found it\n{place}\nFrom {kind}: {shown}\n')
