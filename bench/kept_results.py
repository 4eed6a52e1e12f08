"""Results of long measurements as one JSON file: every finished cell is written at once, so that a stopped run loses none."""

import json


class KeptResults:
    def __init__(self, path):
        self.path = path

    def load(self):
        return json.loads(self.path.read_text()) if self.path.exists() else {}

    def keep(self, key, cell):
        """Reads the file again first: another run may have added to it."""
        results = self.load()
        results[key] = cell
        temporary = self.path.with_suffix(".tmp")
        temporary.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
        temporary.replace(self.path)
