"""The configuration, the instruction set and the analyzer of each file of a command."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Mapping

from ipu_asm.cli.sources import FileOptions, configuration_override
from ipu_asm.config.configuration import Configuration, ConfigurationError, ConfigurationFinding
from ipu_asm.config.configuration_file import Configurations
from ipu_asm.config.files import Target
from ipu_asm.config.isa_choice import UNCLAIMED, IsaChoice, choose_isa
from ipu_asm.isa import DEFAULT_ISA
from ipu_asm.source.settings import source_settings

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis
    from ipu_asm.analysis.analyzer import Analyzer
    from ipu_asm.config.configuration import Value
    from ipu_asm.source.expansion import SourceReader, SourceSettings


class Analyzers:
    """The configurations and analyzers of the files that options name."""

    def __init__(self, options: FileOptions, defines: Mapping[str, Value] = {}) -> None:
        """Raises `ConfigurationError` for an invalid file given by `--config`."""
        self.configurations = Configurations()
        self._isa = options.isa
        self._defines = defines
        self._override = configuration_override(options)
        # Keys: the instruction set and the memory that a project chooses.
        self._analyzers: dict[tuple[str, str], Analyzer] = {}

    def configuration(self, target: Target) -> Configuration:
        """Return the configuration of a file. Raises `ConfigurationError`."""
        if self._override is not None:
            return self._override
        folder = os.path.dirname(os.path.abspath(target.name))
        return self.configurations.nearest(folder) or Configuration()

    def choice(self, target: Target, text: str) -> IsaChoice:
        """Return the set of a file, `UNCLAIMED` if nothing states it."""
        return choose_isa(text, target.name, self._isa, self.configuration(target), UNCLAIMED)

    def settings(self, target: Target, reader: SourceReader | None = None) -> SourceSettings:
        """Return the settings of the expansion of a file. Raises `ConfigurationError`."""
        return source_settings(target.name, self.configuration(target), self._defines, reader)

    def analyzer(self, choice: IsaChoice, configuration: Configuration) -> Analyzer:
        """Return the analyzer of an instruction set. Raises `ConfigurationError` for unknown ones.

        Its modules are imported here: a run whose results are known needs none of them.
        """
        from ipu_asm.analysis.analyzer import Analyzer
        from ipu_asm.isa import UnknownIsaError, load_isa

        name = choice.name or DEFAULT_ISA
        memory = configuration.memory.get(name, "")
        if (name, memory) not in self._analyzers:
            try:
                isa = load_isa(name, memory)
                self._analyzers[name, memory] = Analyzer(isa)
            except UnknownIsaError as error:
                finding = ConfigurationFinding(str(error), choice.origin)
                raise ConfigurationError([finding]) from error
        return self._analyzers[name, memory]

    def analysis(self, target: Target, text: str) -> Analysis:
        """Return the analysis of the text of a file. Raises `ConfigurationError`."""
        analyzer = self.analyzer(self.choice(target, text), self.configuration(target))
        return analyzer.analyze(text, target.name, settings=self.settings(target))
