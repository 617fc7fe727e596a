// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Everyone holds 1,000 of it, and `transfer` does what its manner says. A call of whatever it likes comes before that.
contract HostileToken {
    string public manner;
    address public target;
    bytes public order;
    bool public calledBack;
    bool public callSucceeded;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(string memory manner_) {
        manner = manner_;
    }

    /// What `transfer` calls first, as itself.
    function callFirst(address target_, bytes calldata order_) external {
        target = target_;
        order = order_;
    }

    function balanceOf(address) external view returns (uint256) {
        if (isManner("unreadable")) revert("no balance");
        if (isManner("short")) assembly { mstore(0, 1) return(0, 8) }
        if (isManner("burns-when-read")) assembly { for {} 1 {} {} }
        return 1_000;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        if (target != address(0)) {
            calledBack = true;
            (callSucceeded, ) = target.call(order);
        }
        if (isManner("reverts")) revert("blacklisted");
        if (isManner("answers-false")) return false;
        if (isManner("burns")) assembly { for {} 1 {} {} }
        if (isManner("floods")) assembly { return(0, 100000) }
        emit Transfer(msg.sender, to, value);
        return true;
    }

    function isManner(string memory name) private view returns (bool) {
        return keccak256(bytes(manner)) == keccak256(bytes(name));
    }
}
