"""The debug adapter: DAP requests on a debugger of `ipu_asm`.

Requests are keyword-only functions of `requests`; while the machine runs, messages are answered
between its parts. Begin with `server.py`.
"""
