//! Statistical models that give the same answer on every compute engine.
