"""Relevant sets (Tillmann & Zhang 2008): trainers over all decoder output, and the exact method."""
