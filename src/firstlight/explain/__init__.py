"""From artefacts to explained starts: splitting, clocks, facts, verdicts, timelines. Pure."""
