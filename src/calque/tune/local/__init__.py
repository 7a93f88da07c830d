"""The local model (Tillmann & Zhang 2005): events, their candidate sets, and its weights."""
