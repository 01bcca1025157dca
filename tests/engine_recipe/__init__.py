"""The recipe of the real engine, tried with an interpreter that installs nothing."""
