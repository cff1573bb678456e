"""The language server and the debug adapter, and what both share: transport, inbox, commands.

They translate between protocols and `ipu_asm`, and decide nothing themselves. Begin with
`inbox.py`, by which both receive messages.
"""
