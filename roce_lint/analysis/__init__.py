"""Facts derived from the model: classes, scope, design mode, treatment. Vendor-neutral and pure."""
