"""Requests and notifications: each module turns one feature's answers into the protocol's words."""
