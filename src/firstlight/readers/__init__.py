"""Foreign text and bytes in, core values out. Pure: nothing here opens anything."""
