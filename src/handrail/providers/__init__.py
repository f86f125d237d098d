"""Tools from elsewhere: each provider is a module or folder here, and implements `contract.provider.Provider`."""
