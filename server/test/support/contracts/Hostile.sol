// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A recipient of coin that does what it is told to: what a merchant may put behind an address to have others pay for gas.
contract Hostile {
    /// Slot 0, so that a test can change its mind without a transaction.
    uint256 public mode;
    uint256 public measure;

    constructor(uint256 mode_, uint256 measure_) {
        mode = mode_;
        measure = measure_;
    }

    receive() external payable {
        uint256 start = gasleft();
        uint256 size = measure;
        if (mode == 1) revert();
        // Needs so much gas.
        if (mode == 2) while (start - gasleft() < size) {}
        // Answers so many bytes.
        if (mode == 3) assembly { return(0, size) }
        if (mode == 4) assembly { revert(0, size) }
        // Takes nearly all that it is given, however much that is.
        if (mode == 5) while (gasleft() > 1000) {}
        // Fails, and takes all that it is given.
        if (mode == 6) assembly { invalid() }
    }
}
