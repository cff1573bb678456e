"""Analysis of one document: the text goes in, programs and findings come out.

An `Analyzer` remembers bundles by their text and the last program of a document, so that an edit
costs what it changes. Its answer, an `Analysis`, is immutable. Begin with `analyzer.py`.
"""
